/** What a listener gives the menu of a person's terminal: an SSH channel with a pty. */
export interface MenuTerminal {
  /** Lines end with CR LF. */
  write(text: string): void
  size(): { cols: number; rows: number }
}
