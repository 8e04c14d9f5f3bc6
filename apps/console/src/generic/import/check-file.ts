/** Requirements of a file before it is sent (A5.11 to A5.14 B5.01). */
export type FileType = 'csv' | 'xlsx'
export type FileFault = 'many' | 'type' | 'size' | 'empty' | 'content'

const MEGABYTE = 2 ** 20
/** An XLSX file is a ZIP archive; so begins every one of them. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
/** Workbooks of old, which are often merely renamed. */
const OLD_WORKBOOK = [0xd0, 0xcf, 0x11, 0xe0]

/** The type of the one file, or what is wrong with what was chosen. `limit` in MB. */
export async function checkFile(
  files: readonly File[],
  limit: number,
): Promise<{ file: File; type: FileType } | { fault: FileFault }> {
  const [file, another] = files
  if (!file || another) return { fault: 'many' }
  const type = /\.(csv|xlsx)$/i.exec(file.name)?.[1]?.toLowerCase() as FileType | undefined
  if (!type) return { fault: 'type' }
  if (file.size > limit * MEGABYTE) return { fault: 'size' }
  if (file.size === 0) return { fault: 'empty' }
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  const begins = (bytes: readonly number[]) => bytes.every((byte, index) => start[index] === byte)
  if (type === 'xlsx' ? !begins(ZIP) : begins(ZIP) || begins(OLD_WORKBOOK)) return { fault: 'content' }
  return { file, type }
}
