/** A person's terminal as a listener gives it to the menu: an SSH channel with a pty. */
export interface MenuTerminal {
  /** Lines end with CR LF. */
  write(text: string): void
  size(): { cols: number; rows: number }
}
