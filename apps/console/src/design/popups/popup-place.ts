/**
 * Where what floats above the page is put: of an element that fills the screen, only what is inside
 * it can be seen.
 */
export const popupPlace = (): HTMLElement =>
  document.fullscreenElement instanceof HTMLElement ? document.fullscreenElement : document.body
