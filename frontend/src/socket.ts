// The connection to the server: requests go out, events come in; it is made anew when it was lost.
import type { AnyEvent, AnyRequest } from "./messages";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
const TRY_LATER = 1013; // the server has said why
const NO_TOKEN = 4403;

export type Link = "connecting" | "open" | "lost" | "full" | "denied";

export class Connection {
  private socket: WebSocket | null = null;
  private pause = FIRST_PAUSE;
  private timer = 0;

  constructor(
    private readonly hello: () => AnyRequest,
    private readonly hear: (event: AnyEvent) => void,
    private readonly changed: (link: Link) => void,
  ) {
    this.open();
  }

  ask(request: AnyRequest): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  open(): void {
    clearTimeout(this.timer);
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify(this.hello()));
    socket.onmessage = (message) => {
      const event = JSON.parse(message.data as string) as AnyEvent;
      if (event.type === "welcome") {
        this.pause = FIRST_PAUSE;
        this.changed("open");
      }
      this.hear(event);
    };
    socket.onclose = (event) => {
      this.changed(event.code === TRY_LATER ? "full" : event.code === NO_TOKEN ? "denied" : "lost");
      if (event.code === NO_TOKEN) return; // another token may come
      this.timer = setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
  }
}
