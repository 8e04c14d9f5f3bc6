/** A command that another one runs. */
export type Runs =
  /** Another command: its last arguments (`sudo ls`), an action of find, or completed by its input. */
  | { kind: 'command'; argv: string[]; by: 'prefix' | 'find' | 'input' }
  /**
   * A text that a shell reads; `words`: the words behind it, which are `$0`, `$1` and so on in it.
   */
  | { kind: 'script'; text: string; words?: readonly string[] }
  /** A shell that reads its input, or a file. */
  | { kind: 'input' }
  | { kind: 'file'; path: string }
