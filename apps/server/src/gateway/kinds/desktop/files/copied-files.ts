/** Something that was copied on the machine as a file. It lies there until its person takes it. */
export interface CopiedFile {
  /** Of several that were copied together, which. */
  readonly index: number
  /** From what was copied on, with slashes; a name of a machine's, which leads nowhere. */
  readonly path: string
  readonly isFolder: boolean
  /** In bytes; undefined where the machine has not said. */
  readonly size: number | undefined
}

/** What was copied on the machine as files, until something else is. */
export interface CopiedFiles {
  readonly files: readonly CopiedFile[]
  /** Both reject where the machine does not answer, or has copied something else since. */
  size(file: CopiedFile): Promise<number>
  /** At least a byte, and no more than `length`; none at its end. */
  read(file: CopiedFile, offset: number, length: number): Promise<Buffer>
}
