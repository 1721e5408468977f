function(text) {
  const refused = (message) => ({ kind: 'refused', message });
  let field = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (!field || !field.isConnected) return refused('the field is no longer on the page; take a new snapshot');
  if (field.localName === 'label' && field.control) field = field.control;
  const inner = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]';
  const takesText = (one) => one.matches(inner) || one.isContentEditable;
  if (!takesText(field)) {
    const found = (field.shadowRoot || field).querySelector(inner);
    if (found) field = found;
  }
  if (field.disabled) return refused('the field is disabled');
  if (field.readOnly) return refused('the field is read-only');
  field.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const announce = () => {
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  };
  if (field.localName === 'select') {
    const plain = (value) => value.trim().replace(/\s+/g, ' ').toLowerCase();
    const options = [...field.options];
    const choice = options.find((option) => option.label === text || option.value === text)
      || options.find((option) => plain(option.label) === plain(text) || plain(option.text) === plain(text));
    if (!choice) {
      const names = options.slice(0, 20).map((option) => JSON.stringify(option.label)).join(', ');
      return refused('the list has no option ' + JSON.stringify(text) + '; it has: ' + names + (options.length > 20 ? ', …' : ''));
    }
    field.focus();
    choice.selected = true;
    announce();
    return { kind: 'filled' };
  }
  if (field.localName === 'input') {
    const type = field.type;
    if (type === 'file') return { kind: 'file' };
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(type)) {
      return refused('this takes no text: it is a ' + type + ', which is clicked');
    }
    if (['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(type)) {
      field.focus();
      const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      value.set.call(field, text);
      if (field.value !== text && type !== 'range' && text !== '') {
        const forms = { date: '2024-05-31', time: '14:30', 'datetime-local': '2024-05-31T14:30', month: '2024-05', week: '2024-W22', color: '#ff8800' };
        return refused('a field of type ' + type + ' takes values such as ' + forms[type]);
      }
      announce();
      return { kind: 'filled' };
    }
  }
  if (!takesText(field)) return refused('this takes no text: it is a <' + field.localName + '>; use a textbox, or click it first');
  field.focus();
  if (field.isContentEditable) {
    const range = document.createRange();
    range.selectNodeContents(field);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  } else {
    field.select();
  }
  return { kind: 'selected', password: field.type === 'password' };
}
