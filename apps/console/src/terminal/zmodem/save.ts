/**
 * Where files of `sz` go: into memory and then to the browser's downloads, or, when they are large,
 * straight into a file that the person chooses.
 */
import type { FileFacts } from '@sallyport/contract/zmodem/wire.ts'
import type { Sink } from './receive.ts'

/** Larger files are written to disk as they come, where the browser can. */
const MEMORY_BYTES = 64 * 1024 * 1024
/** Most bytes kept in memory, where it can't (docs/rules/web-terminal.md#zmodem). */
const MAX_MEMORY_BYTES = 500 * 1024 * 1024

/** In Chromium, on pages that came over HTTPS (File System Access API). */
interface SavePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
}

/** The last part of a name that a machine has given. */
export function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)?.replace(/\p{C}/gu, '')
  return last && !/^\.*$/.test(last) ? last : 'file'
}

/** Whether this browser can take the file. */
export function fits({ size }: FileFacts): boolean {
  return (size ?? 0) <= MAX_MEMORY_BYTES || picker() !== undefined
}

function picker(): SavePicker['showSaveFilePicker'] {
  return (window as SavePicker).showSaveFilePicker?.bind(window)
}

/**
 * Opens the place for a file. Called from a click, since a large one asks the person where to.
 * Throws AbortError when they change their mind.
 */
export async function openSink(file: FileFacts): Promise<Sink> {
  const choose = picker()
  const name = plainName(file.name)
  if (choose && (file.size ?? 0) > MEMORY_BYTES) return fileSink(await choose({ suggestedName: name }))
  return memorySink(name)
}

async function fileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const writing = await handle.createWritable()
  return {
    write: (bytes) => writing.write(bytes),
    close: () => writing.close(),
    abort: () => void writing.abort().catch(() => {}),
  }
}

function memorySink(name: string): Sink {
  let parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  return {
    write(bytes) {
      size += bytes.length
      // The machine may have said less, or nothing.
      if (size > MAX_MEMORY_BYTES) throw new RangeError('too large for the memory of a page')
      parts.push(bytes)
    },
    close() {
      const address = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }))
      const link = document.createElement('a')
      link.href = address
      link.download = name
      link.click()
      // The browser reads it after the click.
      setTimeout(() => URL.revokeObjectURL(address), 60_000)
    },
    abort() {
      parts = []
    },
  }
}
