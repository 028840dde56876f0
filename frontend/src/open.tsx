// Opening: a file, a text, an empty board, or a game or study of the shelf.
import { useRef, useState } from "preact/hooks";
import { openFile, openText } from "./actions";
import { Modal } from "./app";
import { Miniature } from "./board";
import { plural } from "./numbers";
import { ask, change, openTab, type State } from "./store";

const SIZES = Array.from({ length: 18 }, (_, i) => i + 2);

export function OpenDialog({ state }: { state: State }) {
  const [pasted, paste] = useState("");
  const [size, setSize] = useState(19);
  const isDone = useRef(false);
  const close = (tab: "play" | "analyse"): void => {
    isDone.current = true;
    change({ dialog: "" });
    openTab(tab);
  };
  return (
    <Modal title="Open" class="open" isDone={isDone}>
      <div class="form">
        <label>
          <span>SGF file</span>
          <input
            type="file"
            accept=".sgf,application/x-go-sgf"
            onChange={(event) => {
              openFile(event.currentTarget.files?.[0]);
              close("analyse");
            }}
          />
        </label>
        <div class="row">
          <label>
            <span>Empty board</span>
            <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
              {SIZES.map((each) => <option key={each} value={each}>{each} × {each}</option>)}
            </select>
          </label>
          <button type="button" onClick={() => { ask({ type: "open_empty", size }); close("analyse"); }}>Open it</button>
        </div>
        <label class="wide">
          <span>Or paste a record; a file may also be dropped anywhere on the page</span>
          <textarea rows={2} value={pasted} placeholder="(;GM[1]SZ[19] …" onInput={(event) => paste(event.currentTarget.value)} />
        </label>
        <button type="button" disabled={!pasted.trim()} onClick={() => { openText(pasted); close("analyse"); }}>Open what was pasted</button>
      </div>
      <h3>Recent games and studies</h3>
      {state.shelf?.length ? (
        <ul class="shelf">
          {state.shelf.map((item) => (
            <li key={item.id}>
              <button type="button" class="item" onClick={() => { ask({ type: "open_item", item: item.id }); close(item.kind === "game" ? "play" : "analyse"); }}>
                <Miniature size={item.size} stones={item.stones} />
                <span>
                  <b>{item.title}</b>
                  <span>{item.kind === "game" ? "Game" : "Study"}, {plural(item.moves, "move")}, {new Date(1000 * item.changed).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}</span>
                  {item.is_open && <em>open now</em>}
                </span>
              </button>
              <button type="button" aria-label={`Remove ${item.title}`} onClick={() => ask({ type: "delete_item", item: item.id })}>✕</button>
            </li>
          ))}
        </ul>
      ) : (
        <p class="hint">Nothing yet: games and studies are kept here as soon as they have a move.</p>
      )}
    </Modal>
  );
}
