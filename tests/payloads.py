"""Attacks on pages: what a student may write so that a browser runs it, and ways to see whether it would."""

import base64
import collections
import html.parser
import shutil
import subprocess

from bs4 import BeautifulSoup

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # one pixel
RUN = "document.title='INJECTED'"
DATA_PAGE = "data:text/html;base64," + base64.b64encode(f"<script>top.{RUN}</script>".encode()).decode()
EVIL_SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script></svg>'

# Each is shown as text/html, written into markdown, and shown as text/markdown.
HTML = [
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC=//evil.example/x.js></SCRIPT><scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<script type=module>{RUN}</script>",
    f'<script type="text/x-mathjax-config">{RUN}</script>',
    f'<script type="math/tex">\\href{{javascript:{RUN}}}{{x}}</script>',
    f'<img src=x onerror="{RUN}">',
    f"<img src=x onerror={RUN}//",
    f'<img """><script>{RUN}</script>">',
    f"<img src='x'onerror='{RUN}'>",
    f"<img\tsrc=x\nonerror\n=\n'{RUN}'>",
    f"<svg onload={RUN}>",
    f"<svg/onload={RUN}><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><a xlink:href='javascript:{RUN}'><text x=20 y=20>x</text></a></svg>",
    f"<svg><style><img src=x onerror={RUN}></style></svg>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
    f"<math href='javascript:{RUN}'>x</math>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<template><img src=x onerror={RUN}></template>",
    f"<textarea><img title='</textarea><img src=x onerror={RUN}>'>",
    f"<title><a title='</title><img src=x onerror={RUN}>'>x</a></title>",
    f"<xmp><p title='</xmp><img src=x onerror={RUN}>'></xmp>",
    f"<!--><img src=x onerror={RUN}>-->",
    f"<![CDATA[<img src=x onerror={RUN}>]]>",
    f"<body onload={RUN}><p>x</p></body>",
    f"<details open ontoggle={RUN}><summary>x</summary></details>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video><audio src=x onerror={RUN}></audio>",
    f"<marquee onstart={RUN}>x</marquee>",
    f"<div onpointerover={RUN} style='position:fixed;inset:0'>x</div>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"<a href=' &#1; java\tscript:{RUN}'>x</a>",
    f"<a href='&#x6A;avascript&colon;{RUN}'>x</a>",
    f"<a href='files/javascript:{RUN}'>x</a><a href='/files/files/javascript:{RUN}'>x</a>",
    f"<a href='JaVaScRiPt:{RUN}'>x</a><a href='vbscript:x'>x</a>",
    f"<a href='{DATA_PAGE}'>x</a>",
    "<a href='/formgrader/api/submission/1/flag'>x</a><a href='//evil.example'>x</a>",
    f"<iframe src='{DATA_PAGE}'></iframe>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data='{DATA_PAGE}'></object><embed src='{DATA_PAGE}'>",
    f"<form action='javascript:{RUN}'><button>x</button></form><button formaction='javascript:{RUN}'>x</button>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href='https://evil.example/'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<style>.score, .panel-heading { display: none } @import 'https://evil.example/x.css';</style>",
    "<style>@import 'https://evil.example/x.css';",
    "<div style='position:fixed;top:0;left:0;width:100%;height:100%;background:white'>Score: 22 / 22</div>",
    "<p style='background-image:url(https://evil.example/x.png);margin:-999px'>x</p>",
    "<div class='navbar-fixed-top modal panel-heading'><span class='pull-right score'>Score: 22 / 22</span></div>",
    "<a name='top' id='test-quiz-1'>x</a><input id='test-quiz-1' value=9><form name=base_url></form>",
    "<img src='https://evil.example/pixel.png'><img src='files/https://evil.example/pixel.png'>",
    "<img srcset='https://evil.example/pixel.png 1x' width='100%;position:fixed' src=x>",
    "<img src='data:text/html,<script>x</script>'><img src='data:image/svg+xml,<svg onload=x>'>",
    "</div></div></div></div></div></body></html><script>x</script><div id='notebook'>",
    "</pre></td></table><plaintext>",
    f"$\\href{{javascript:{RUN}}}{{x}}$ $$\\style{{position:fixed;top:0}}{{x}} \\cssId{{top}}{{x}}$$",
    f"$\\let\\h\\href \\h{{javascript:{RUN}}}{{x}}$ \\\\(\\hr<!-- -->ef{{javascript:{RUN}}}{{x}}\\\\)",
    f"\\begin{{equation}}\\href{{javascript:{RUN}}}{{x}}</p><img src=x onerror={RUN}>\\end{{equation}}",
    f"$<img src=x onerror={RUN}>$ $$</p><script>{RUN}</script>$$",
]
MARKDOWN = [
    f"[x](javascript:{RUN}) [x](<java\tscript:{RUN}>) [x](files/javascript:{RUN}) [x]({DATA_PAGE})",
    f"[x]: javascript:{RUN}\n\n[x] ![x] <javascript:{RUN}>",
    f'![x](https://evil.example/p.png) ![x](javascript:{RUN}) ![" onerror={RUN} x="](x)',
    f'![x](x "\\" onerror={RUN} \\"") [x](https://a.example "\\"onclick={RUN}")',
    f'![x](attachment:nothing.png) ![x](attachment:"onerror={RUN})',
    f"```html\n<script>{RUN}</script>\n```\n\n~~~mermaid\n</pre><script>{RUN}</script>\n~~~",
    f"# <img src=x onerror={RUN}>\n\n| a | <svg onload={RUN}> |\n|---|---|\n| `<script>` | x |",
    f"`` `<img src=x onerror={RUN}>` ``\n\n- [x] <script>{RUN}</script>\n\nterm\n: <svg onload={RUN}>",
]
# Outputs of other kinds: (data, metadata).
BUNDLES = [
    ({"application/javascript": RUN}, {}),
    ({"text/javascript": RUN, "text/plain": "x"}, {}),
    ({"application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>x</script>"}}, {}),
    ({"application/vnd.jupyter.widget-state+json": {"state": {"x": {"state": "</script>"}}}}, {}),
    ({"application/json": {"x": f"<script>{RUN}</script>"}}, {}),
    ({f"application/x-<script>{RUN}</script>": "x"}, {}),
    ({"text/vnd.mermaid": f"</pre><script>{RUN}</script>"}, {}),
    ({"application/pdf": "JVBERi0="}, {}),
    ({"image/svg+xml": EVIL_SVG}, {"image/svg+xml": {"alt": f'"><script>{RUN}</script>'}}),
    ({"image/svg+xml": f'"><script>{RUN}</script>'}, {"isolated": True}),
    ({"image/png": f'"><script>{RUN}</script>'}, {}),
    ({"image/png": PNG}, {"image/png": {"width": f"1 onerror={RUN}", "height": "1><script>x</script>"}}),
    ({"image/jpeg": PNG}, {"image/jpeg": {"alt": f'" onerror="{RUN}', "unconfined": True}}),
    ({"image/png": PNG}, {"filenames": {"image/png": "https://evil.example/p.png"}}),
    ({"text/html": f"<script>{RUN}</script>x"}, {"text/html": {"isolated": True}}),
    ({"text/html": f"<p onclick={RUN}>x"}, {"isolated": True}),
    ({"text/latex": f"$\\href{{javascript:{RUN}}}{{x}}$<script>{RUN}</script>"}, {}),
    ({"text/latex": f"$x$</div><script>{RUN}</script>"}, {}),
    ({"text/plain": f"\x1b[31;<script>{RUN}</script>m\x1b[38;2;1;1;1m</pre><script>{RUN}</script>"}, {}),
]
TEXT = f"</pre><script>{RUN}</script>\x1b[1;31m<img src=x onerror={RUN}>\x1b[0m\x1b[</span><script>m\x9b31m"

SHOWN = [
    *BUNDLES,
    *(({kind: text}, {}) for text in HTML for kind in ("text/html", "text/markdown")),
    *(({"text/markdown": text}, {}) for text in MARKDOWN),
]
# What is on a page only if somebody put it there, or if the template did.
SUSPECT_TAGS = {
    *("script", "style", "meta", "link", "base", "form", "iframe", "object", "embed", "frame", "frameset", "applet"),
    *("input", "button", "textarea", "select", "svg", "math", "video", "audio", "template", "noscript", "marquee"),
}
ADDRESSES = {"href", "src", "srcset", "action", "formaction", "data", "poster", "background", "xlink:href", "cite"}


class Page(html.parser.HTMLParser):
    """What a page is made of."""

    def __init__(self, text):
        super().__init__()
        self.text, self.suspects, self.elements = text, collections.Counter(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        self.elements.append((tag, attributes))
        if tag in SUSPECT_TAGS:
            self.suspects[tag, tuple(attributes.items())] += 1
        for name, value in attributes.items():
            address = "".join(c for c in value if c > " ").lower()
            scheme = address.partition(":")[0]
            bad = (
                name.startswith("on")
                or (name in ("id", "name", "srcdoc", "target") and not value.startswith("cell-id="))
                or (name == "style" and ("url" in value or "position" in value or "margin" in value))
                or (name in ADDRESSES and scheme in ("javascript", "vbscript"))
                or (name in ADDRESSES and scheme == "data" and not (tag == "img" and address.startswith("data:image/")))
                or (name == "src" and tag == "img" and scheme != "data")
                or (name == "href" and scheme not in ("http", "https", "mailto") and value[:1] != "#")
                or (name == "class" and {"modal", "navbar-fixed-top", "score", "panel-heading"} & set(value.split()))
            )
            if bad:
                self.suspects[tag, name, value] += 1

    @property
    def texts(self):
        return BeautifulSoup(self.text, "html.parser").get_text()


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def in_browser(page, folder):
    """The page after a browser has run it, with every address on the network turned away."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
               "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
               "--dump-dom", path.as_uri()]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
