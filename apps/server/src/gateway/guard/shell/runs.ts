/** What a command runs besides itself. */
export type Runs =
  /** Another command: its last arguments (`sudo ls`), an action of find, or completed by its input. */
  | { kind: 'command'; argv: string[]; by: 'prefix' | 'find' | 'input' }
  /** A text that a shell reads. */
  | { kind: 'script'; text: string }
  /** A shell that reads its input, or a file. */
  | { kind: 'input' }
  | { kind: 'file'; path: string }
