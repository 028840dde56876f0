// The connection to the server: requests go out, events come in; it is made anew when it was lost.
import type { AnyEvent, AnyRequest } from "./messages";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

export class Connection {
  private socket: WebSocket | null = null;
  private pause = FIRST_PAUSE;

  constructor(
    private readonly hear: (event: AnyEvent) => void,
    private readonly changed: (isOpen: boolean) => void,
  ) {
    this.open();
  }

  ask(request: AnyRequest): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.changed(true);
    };
    socket.onmessage = (message) => this.hear(JSON.parse(message.data as string) as AnyEvent);
    socket.onclose = () => {
      this.changed(false);
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
  }
}
