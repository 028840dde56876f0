// The connection to the server: requests go out, events come in; it is made anew when it was lost.
import type { AnyEvent, AnyRequest } from "./messages";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
const TURNED_AWAY = 1013; // the server has said why
const LOST = "The connection to kikashi is lost; it is tried again.";
const ANOTHER = "kikashi was started anew: open the address that it has printed now.";

export class Connection {
  private socket: WebSocket | null = null;
  private pause = FIRST_PAUSE;

  constructor(
    private readonly hear: (event: AnyEvent) => void,
    private readonly changed: (isOpen: boolean, why: string) => void,
  ) {
    this.open();
  }

  ask(request: AnyRequest): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  /** A server that is there and turns us away has another token. */
  private async askWhy(): Promise<void> {
    const answer = await fetch("/", { method: "HEAD" }).catch(() => null);
    if (answer?.status === 403) this.changed(false, ANOTHER);
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.changed(true, "");
    };
    socket.onmessage = (message) => this.hear(JSON.parse(message.data as string) as AnyEvent);
    socket.onclose = (event) => {
      this.changed(false, event.code === TURNED_AWAY ? "" : LOST);
      if (event.code !== TURNED_AWAY) void this.askWhy();
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
  }
}
