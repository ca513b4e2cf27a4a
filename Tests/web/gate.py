"""A relay behind a server that is slow with the web app's module, or has another one."""
import http.client
import http.server
import threading
import time

from ports import quiet_port
from processes import Relay


class GatedRelay(Relay):
    """A relay whose module comes late, never, or with another host script.

    No service worker is served, so that each visit asks for everything.
    """

    def __init__(self, *arguments):
        #: The seconds for which the module is held back; `None` for ever.
        self.delay = 0
        #: The host script's text, changed before it is served.
        self.change = lambda script: script
        self._front = quiet_port()
        super().__init__(*arguments)
        gate = type("Gate", (Gate,), {"relay": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self._front), gate)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._front}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        return super().stop()


class Gate(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    relay = None

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/sw.js":
            return self.send_error(404)
        if self.path.endswith(".wasm"):
            if self.relay.delay is None:
                return self.send_error(404)
            time.sleep(self.relay.delay)
        headers = {name: value for name, value in self.headers.items()
                   if name not in ("Accept-Encoding", "Connection")}
        way = http.client.HTTPConnection("127.0.0.1", self.relay._port)
        way.request(self.command, self.path, body or None, headers)
        answer = way.getresponse()
        content = answer.read()
        way.close()
        if self.path.startswith("/host."):
            content = self.relay.change(content.decode()).encode()
        try:
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name not in ("Content-Length", "Connection", "Transfer-Encoding", "Cache-Control"):
                    self.send_header(name, value)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", len(content))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            # The page has gone.
            self.close_connection = True

    do_GET = do_PUT = do_POST = do_DELETE = pass_on
