// The sound of a stone, made on the spot: a short noise through a filter.
let context: AudioContext | null = null;

export function click(): void {
  try {
    context ??= new AudioContext();
    const length = Math.floor(0.06 * context.sampleRate);
    const buffer = context.createBuffer(1, length, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 6;
    const source = context.createBufferSource();
    const filter = context.createBiquadFilter();
    filter.type = "bandpass";
    filter.frequency.value = 1400;
    source.buffer = buffer;
    source.connect(filter).connect(context.destination);
    source.start();
  } catch {
    // no sound here
  }
}
