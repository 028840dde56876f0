from .gtp.protocol import Arguments as Arguments, Failure as Failure
from .gtp.registry import command as command
from .gtp.server import answers as answers
from .gtp.session import GtpSession as GtpSession
