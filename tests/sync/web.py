"""
A web server for tests/sync/transport.sh: git http-backend with a password, over TLS.

    web.py FOLDER CERTIFICATE USER:PASSWORD PIPE

What lies below FOLDER is served, and the port goes to PIPE; what is asked for below /full/ by a git
that may write nothing, and below /hang/ never.
"""
import base64, http.server, os, resource, socketserver, ssl, subprocess, sys, threading

FOLDER, CERTIFICATE, LOGIN, PIPE = sys.argv[1:5]


def nothing_may_be_written():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status, headers, text):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def serve(self):
        wanted = "Basic " + base64.b64encode(LOGIN.encode()).decode()
        body = self.body()
        path, _, query = self.path.partition("?")
        if path.startswith("/hang/"):
            threading.Event().wait()
        if self.headers.get("Authorization") != wanted:
            self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            return
        full = path.startswith("/full/")
        environ = dict(os.environ, GIT_PROJECT_ROOT=FOLDER, GIT_HTTP_EXPORT_ALL="1", REMOTE_USER="ada",
                       PATH_INFO=path[len("/full"):] if full else path, QUERY_STRING=query,
                       REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type") or "",
                       CONTENT_LENGTH=str(len(body)),
                       HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding") or "",
                       GIT_PROTOCOL=self.headers.get("Git-Protocol") or "")
        done = subprocess.run(["git", "http-backend"], input=body, env=environ, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              preexec_fn=nothing_may_be_written if full and self.command == "POST" else None)
        head, _, text = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = [int(value.split()[0]) for name, value in headers if name == "Status"]
        self.answer(status[0] if status else 200, [h for h in headers if h[0] != "Status"], text)

    do_GET = do_POST = serve


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE)
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(PIPE, "w") as out:
    print(server.server_address[1], file=out)
server.serve_forever()
