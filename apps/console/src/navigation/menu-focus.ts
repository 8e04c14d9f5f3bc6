/**
 * Menus of the library are closed by Escape with the focus inside, and then nothing has it: it goes
 * back to what opened the menu. Returns a function that ends it.
 */
export function returnFocusFromMenus(): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !document.activeElement?.closest('.ant-dropdown')) return
    document.querySelector<HTMLElement>('.ant-dropdown-open')?.focus()
  }
  // Before the menu itself hears of the key.
  document.addEventListener('keydown', press, true)
  return () => document.removeEventListener('keydown', press, true)
}
