/** A file on a clipboard: that of the machine, or of its person. It lies where it is until the other end takes it. */
export interface CopiedFile {
  /** Index among the files that were copied together. */
  readonly index: number
  /** From what was copied on, with slashes; of a machine a name that leads nowhere. */
  readonly path: string
  readonly isFolder: boolean
  /** In bytes; undefined where its end has not said. */
  readonly size: number | undefined
}

/** The copied files, until something else is copied. */
export interface CopiedFiles {
  readonly files: readonly CopiedFile[]
  /** Both reject where the other end does not give it, or has copied something else since. */
  size(file: CopiedFile): Promise<number>
  /** At least a byte, and no more than `length`; none at its end. */
  read(file: CopiedFile, offset: number, length: number): Promise<Buffer>
}
