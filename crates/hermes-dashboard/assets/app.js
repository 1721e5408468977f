// The little that pages cannot do by themselves: a live chat, fewer reloads. No markup is made here; the server sends
// pieces of pages, and everything a person or a model wrote is text in them already.

const root = document.documentElement;
const base = root.dataset.base;
const form = root.dataset.form;

async function ask(path, options = {}) {
  const headers = { "x-hermes-form": form, accept: "application/json", ...options.headers };
  const answer = await fetch(base + path, { ...options, headers });
  if (answer.status === 401) location.assign(base + "/login");
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error?.message ?? `The dashboard answered ${answer.status}.`);
  }
  return answer;
}

function post(path, fields) {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return ask(path, { method: "POST", headers, body: new URLSearchParams(fields) });
}

// Forms that cannot be undone ask first.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset?.ask;
  if (question && !confirm(question)) event.preventDefault();
});

// The menu of small screens closes when somebody looks elsewhere.
const menu = document.querySelector(".menu");
document.addEventListener("click", (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu?.open) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// How many questions wait, in the navigation and in the title.
const title = document.title;
function showWaiting(count) {
  for (const badge of document.querySelectorAll("[data-waiting]")) {
    badge.textContent = count;
    badge.hidden = count === 0;
  }
  document.title = count > 0 ? `(${count}) ${title}` : title;
}
async function lookForQuestions() {
  if (document.hidden) return;
  try {
    showWaiting((await (await ask("/api/waiting")).json()).waiting);
  } catch { /* the next look may find it again */ }
}
if (form) setInterval(lookForQuestions, 5000);

// Answers to questions stay on the page.
document.addEventListener("submit", async (event) => {
  const id = event.target.dataset?.question;
  if (!id || !document.querySelector("[data-chat]")) return;
  event.preventDefault();
  const button = event.submitter;
  const words = event.target.elements.words?.value ?? "";
  const fields = button?.name === "choice" ? { choice: button.value } : { words };
  for (const one of event.target.querySelectorAll("button")) one.disabled = true;
  try {
    await post(`/questions/${id}`, fields);
  } catch (problem) {
    say(problem.message);
    for (const one of event.target.querySelectorAll("button")) one.disabled = false;
  }
  lookForQuestions();
});

// The chat.
const page = document.querySelector("[data-chat]");
const status = document.querySelector("[data-status]");
function say(text) {
  if (status) status.textContent = text;
}

function startChat() {
  const session = page.dataset.chat;
  const path = `/chat/${encodeURIComponent(session)}`;
  const stream = page.querySelector(".stream");
  const record = page.querySelector("#transcript");
  const live = page.querySelector("#live");
  const box = page.querySelector("textarea");
  const send = page.querySelector("[data-send]");
  const stop = page.querySelector("[data-stop]");
  const shelf = page.querySelector("[data-pictures]");
  let pictures = [];
  let atEnd = true;
  let after = Number(page.dataset.after);

  const toEnd = () => { if (atEnd) stream.scrollTop = stream.scrollHeight; };
  stream.addEventListener("scroll", () => {
    atEnd = stream.scrollHeight - stream.scrollTop - stream.clientHeight < 80;
  });
  const busy = (is) => { stop.hidden = !is; };

  // A piece of the turn, as it is now: put in place of what it was, or at the end.
  function place(piece) {
    const box = document.createElement("template");
    box.innerHTML = piece.html;
    const fresh = box.content.firstElementChild;
    if (!fresh) return;
    fresh.dataset.live = piece.id;
    const old = live.querySelector(`[data-live="${piece.id}"]`);
    if (!old) live.append(fresh);
    else {
      if (old.matches("details[open]")) fresh.setAttribute("open", "");
      old.replaceWith(fresh);
    }
  }

  // The turn is over: what was live is in the record now.
  async function settle(end) {
    const answer = await ask(`${path}/transcript`, { headers: { accept: "text/html" } });
    const text = await answer.text();
    const waiting = [...live.querySelectorAll(".user.waits")];
    const questions = [...live.querySelectorAll(".end.failed, .end.stopped")];
    record.innerHTML = text;
    live.replaceChildren(...questions.slice(-1), ...waiting);
    if (waiting.length === 0) busy(false);
    say(end ?? "");
    toEnd();
  }

  function listen() {
    const source = new EventSource(`${base}${path}/events?after=${after}`);
    source.onmessage = (event) => {
      const piece = JSON.parse(event.data);
      after = Number(event.lastEventId);
      page.querySelector("[data-welcome]")?.remove();
      place(piece);
      if (piece.kind === "end") {
        const told = live.querySelector(`[data-live="${piece.id}"]`)?.textContent;
        settle(told).catch((problem) => say(problem.message));
      } else {
        busy(true);
        say(piece.kind === "question" ? "A question waits for you." : "At work …");
        if (piece.kind === "question") lookForQuestions();
      }
      toEnd();
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return say("The connection was lost; trying again …");
      source.close();
      setTimeout(listen, 3000);
    };
    source.onopen = () => { if (status.textContent.startsWith("The connection")) say(""); };
  }

  const grow = () => { box.style.height = "auto"; box.style.height = `${box.scrollHeight}px`; };
  box.addEventListener("input", grow);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      page.querySelector("[data-composer]").requestSubmit();
    }
  });

  function show() {
    shelf.hidden = pictures.length === 0;
    shelf.replaceChildren(...pictures.map((url, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", `Remove picture ${at + 1}`);
      const image = document.createElement("img");
      image.src = url;
      image.alt = "";
      button.append(image);
      button.addEventListener("click", () => { pictures.splice(at, 1); show(); });
      return button;
    }));
  }
  function take(files) {
    for (const file of files) {
      if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type) || pictures.length >= 8) continue;
      if (file.size > 5e6) { say(`${file.name} is larger than 5 MB.`); continue; }
      const reader = new FileReader();
      reader.onload = () => { pictures.push(reader.result); show(); };
      reader.readAsDataURL(file);
    }
  }
  page.querySelector("[data-files]").addEventListener("change", (event) => { take(event.target.files); event.target.value = ""; });
  box.addEventListener("paste", (event) => take(event.clipboardData.files));
  page.addEventListener("dragover", (event) => event.preventDefault());
  page.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });

  page.querySelector("[data-composer]").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = box.value;
    if (!text.trim() && pictures.length === 0) return;
    send.disabled = true;
    atEnd = true;
    try {
      const headers = { "content-type": "application/json" };
      await ask(`${path}/say`, { method: "POST", headers, body: JSON.stringify({ text, pictures }) });
      box.value = "";
      pictures = [];
      show();
      grow();
      if ("new" in page.dataset) history.replaceState(null, "", base + path);
    } catch (problem) {
      say(problem.message);
    }
    send.disabled = false;
    box.focus();
  });
  stop.addEventListener("click", () => ask(`${path}/stop`, { method: "POST" }).catch((problem) => say(problem.message)));

  toEnd();
  listen();
}
if (page) startChat();

// Logs that go on.
const follow = document.querySelector("[data-follow]");
if (follow) {
  const fields = document.querySelector("[data-logs]");
  const lines = document.querySelector("[data-lines]");
  lines.scrollTop = lines.scrollHeight;
  setInterval(async () => {
    if (!follow.checked || document.hidden) return;
    const query = new URLSearchParams(new FormData(fields));
    try {
      lines.innerHTML = await (await ask(`/logs/lines?${query}`, { headers: { accept: "text/html" } })).text();
      lines.scrollTop = lines.scrollHeight;
    } catch { /* the next look may find it again */ }
  }, 2000);
}
