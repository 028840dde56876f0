from .gtp.protocol import Arguments as Arguments, Failure as Failure, command as command
from .gtp.server import answers as answers
from .gtp.session import GtpSession as GtpSession
