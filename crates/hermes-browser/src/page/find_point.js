function() {
  // `this` is the element. Text nodes and the like are clicked where their element is.
  const element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (!element || !element.isConnected) return { kind: 'gone' };
  if (element.localName === 'option') {
    const list = element.closest('select');
    if (list) {
      if (element.disabled || list.disabled) return { kind: 'disabled' };
      if (list.multiple) element.selected = !element.selected; else list.value = element.value, element.selected = true;
      list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      list.dispatchEvent(new Event('change', { bubbles: true }));
      return { kind: 'chosen' };
    }
  }
  if (element.disabled === true) return { kind: 'disabled' };
  const inside = () => {
    for (const rect of element.getClientRects()) {
      const left = Math.max(rect.left, 0), right = Math.min(rect.right, innerWidth);
      const top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, innerHeight);
      if (right - left >= 1 && bottom - top >= 1) return { x: (left + right) / 2, y: (top + bottom) / 2, rect };
    }
    return null;
  };
  const hit = (point) => {
    // Descends through open shadow roots to what a person would touch.
    let found = document.elementFromPoint(point.x, point.y);
    while (found && found.shadowRoot) {
      const deeper = found.shadowRoot.elementFromPoint(point.x, point.y);
      if (!deeper || deeper === found) break;
      found = deeper;
    }
    return found;
  };
  const within = (node) => {
    for (let at = node; at; at = at.assignedSlot || at.parentNode || at.host) if (at === element) return true;
    return false;
  };
  const belongs = (found) => {
    if (!found || within(found)) return true;
    // A label is as good as its control, and so is the control for its label.
    const label = found.closest && found.closest('label');
    if (label && (label.control === element || label.contains(element))) return true;
    return false;
  };
  let point = inside();
  const wholly = point && point.rect.top >= 0 && point.rect.bottom <= innerHeight && point.rect.left >= 0 && point.rect.right <= innerWidth;
  if (!wholly || !belongs(hit(point))) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    point = inside();
  }
  if (!point) return { kind: 'noBox' };
  let found = hit(point);
  if (!belongs(found)) {
    // The middle is covered; perhaps a corner is not.
    const { rect } = point;
    const corners = [[0.15, 0.5], [0.85, 0.5], [0.5, 0.15], [0.5, 0.85]];
    for (const [across, down] of corners) {
      const other = { x: rect.left + rect.width * across, y: rect.top + rect.height * down, rect };
      if (other.x < 0 || other.y < 0 || other.x >= innerWidth || other.y >= innerHeight) continue;
      if (belongs(hit(other))) { point = other; found = element; break; }
    }
  }
  if (!belongs(found)) {
    const text = (found.innerText || found.getAttribute('aria-label') || '').trim().replace(/\s+/g, ' ').slice(0, 60);
    const name = '<' + found.localName + (found.id ? ' id="' + found.id + '"' : '') + '>';
    return { kind: 'covered', cover: text ? name + ' "' + text + '"' : name };
  }
  const first = element.getClientRects()[0];
  return { kind: 'point', x: point.x, y: point.y, left: first.left, top: first.top };
}
