/** A folder that is a disk of its own, for tests of full disks; needs root. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk {
  /** Until nothing more can be written. */
  fill(): void
  /** Makes room again. */
  empty(): void
  unmount(): void
}

/** Makes the folder, which must not be there, with sixteen megabytes of room. */
export function mountSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', folder])
  const filling = join(folder, 'filling')
  return {
    fill() {
      try {
        writeFileSync(filling, Buffer.alloc(17 * 1024 * 1024))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(filling, { force: true }),
    unmount: () => void execFileSync('umount', [folder]),
  }
}
