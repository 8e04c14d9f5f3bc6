/** Somebody who types in a session that is another person's. */
export interface Typist {
  id: string
  /** Name(username), as in the rows of commands. */
  display: string
}
