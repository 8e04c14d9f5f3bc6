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

/** Makes the folder, which must not be there, with so many megabytes of room. */
export function mountSmallDisk(folder: string, megabytes = 16): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder])
  const filling = join(folder, 'filling')
  return {
    fill() {
      try {
        writeFileSync(filling, Buffer.alloc((megabytes + 1) * 1024 * 1024))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(filling, { force: true }),
    unmount: () => void execFileSync('umount', [folder]),
  }
}
