import { render } from "preact";
import { App } from "./app";
import { listen } from "./keys";
import "./style.css";

listen();
render(<App />, document.getElementById("page")!);
