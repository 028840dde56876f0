from .document import (
    Document as Document,
    Element as Element,
    Files as Files,
    markdown_text as markdown_text,
)
from .elements import (
    Board as Board,
    Figure as Figure,
    Games as Games,
    Items as Items,
    Link as Link,
    Paragraph as Paragraph,
    PlayedGame as PlayedGame,
    Section as Section,
    Table as Table,
)
from .plots import (
    bars as bars,
    intervals as intervals,
    trends as trends,
)
