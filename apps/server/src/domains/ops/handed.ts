/** What a run gives its machines besides its text: by name, never what is secret itself. */
export interface RunInputs {
  /** Passwords, by the variable of the shell that holds each. */
  secrets: { name: string; account: string }[]
  /** Files, by the number of their step. */
  files: { step: number; file: string; path: string }[]
}

/** In the text of a run: the variable of the shell with the folder of its files. */
export const FILES_FOLDER = 'sallyport_files'
