"""The page in Chromium: how tests open it, and what they do on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helpers.tools import AXE
from helpers.web import PATIENCE
from kikashi.web.server import Server
from kikashi.web.shelf import ItemStore

SIZES = {"desk": (1440, 900), "phone": (390, 844)}
GAME = (
    "(;GM[1]SZ[7]KM[7.5]PB[<b>Kuro</b>]PW[Shiro]C[<img src=x onerror=alert(1)>];B[dd];W[cc](;B[ec];W[dc];B[ed];W[cd])"
    "(;B[dc];W[cd]))"
)
SOCKETS = """
const Plain = WebSocket;
window.sockets = [];
window.WebSocket = class extends Plain {
  constructor(address) {
    super(window.isCut ? address.replace("/socket", "/nowhere") : address);
    sockets.push(this);
  }
};
window.WebSocket.OPEN = Plain.OPEN;
window.hears = (event) => sockets.at(-1).onmessage({data: JSON.stringify(event)});
window.cut = () => { window.isCut = true; sockets.at(-1).close(); };
"""
"""Lets a test cut the connection, and make the page hear an event."""


@contextmanager
def opened(browser: Any, server: Server, size: str = "desk", **more: Any) -> Iterator[Any]:
    """A page, just opened. No error on its console and no failed request is forgiven, but for lost sockets."""
    width, height = SIZES.get(size, (3840, 2160))
    server.state.shelf = ItemStore()  # what earlier tests have opened is not this page's
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=size == "phone", **more)
    context.set_default_timeout(1000 * PATIENCE)
    page, wrong = context.new_page(), []
    page.add_init_script(SOCKETS)

    def hear(said: Any) -> None:
        if said.type in ("error", "warning") and "WebSocket connection" not in said.text:
            wrong.append(said.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    aborted = "net::ERR_ABORTED"  # by a reload, of the icon for example
    page.on("requestfailed", lambda request: wrong.append(request.url) if request.failure != aborted else None)
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto(server.address)
    page.wait_for_selector("header >> text=kikashi")
    try:
        yield page
        assert wrong == [], wrong
    finally:
        context.close()


DROP = """([head, bytes, tail]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([head, new Uint8Array(bytes), tail], "game.sgf"));
  window.dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, cancelable: true}));
}"""
PASTE = """(text) => {
  const pasted = new DataTransfer();
  pasted.setData("text", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: pasted, bubbles: true}));
}"""


def view(page: Any, name: str) -> None:
    page.click(f"nav >> text={name}")


def key(page: Any, name: str) -> None:
    """Press a key for the page, not for what has the focus."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(name)


def put(page: Any, point: str, size: str) -> None:
    """Put a stone: with a click, or with a tap and a second one that confirms it."""
    cell = page.locator(f"[role=gridcell][aria-label='{point} empty']")
    if size == "desk":
        cell.click()
    else:
        cell.tap()
        assert page.locator(f"[aria-label='{point} empty']").count() == 1, "nothing is played by one tap"
        page.tap(f"button:has-text('Play {point}')")


def open_sgf(page: Any, text: str = GAME) -> None:
    view(page, "Analyse")
    page.click("button:has-text('Open …')")
    page.fill("textarea[placeholder]", text)
    page.click("text=Open what was pasted")
    page.wait_for_selector("h2:has-text('Shiro')")


def begin(page: Any, level: str = "2", size: str = "5") -> None:
    page.select_option("label:has-text('Level') select", level)
    page.select_option("label:has-text('Other board') select", size)
    page.click("button:has-text('Begin')")
    page.wait_for_selector("text=Your move.")


def faults(page: Any, *rules: str) -> list[str]:
    """What axe-core finds wrong on a page, by these rules or by all."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate("(options) => axe.run(options)", options)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
