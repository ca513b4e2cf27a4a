"""A relay of a few lines that takes any code and any memo."""

import http.server
import json
import threading


class Relay:
    def __init__(self):
        self.memos = []
        self.subjects = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path == "/v1/verifications":
                    return self.reply(202, {})
                if self.path == "/v1/verifications/confirm":
                    return self.reply(200, {"token": "granted"})
                memo = json.loads(body)
                outer.memos.append(memo["text"])
                outer.subjects.append(memo.get("subject"))
                self.reply(202, {"id": self.path.split("/")[-1], "status": "accepted"})

            do_POST = do_PUT = answer

            def reply(self, status, answer):
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
