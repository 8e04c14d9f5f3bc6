import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Megabytes that stay taken after that work, as long as what it answers is held. */
export async function kept(work: () => unknown): Promise<number> {
  const taken = async () => {
    // Buffers are given back beside, once they are known to be free.
    for (let n = 0; n < 3; n++) {
      collect()
      await new Promise((next) => setImmediate(next))
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = await taken()
  const held = await work()
  const after = await taken()
  if (!held) throw new Error('nothing is held')
  return (after - before) / 1024 / 1024
}
