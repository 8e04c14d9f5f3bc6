import { freemem, totalmem } from 'node:os'
import { sizeText } from '@sallyport/contract/size-text.ts'
import { type Check, ok, type Words, warning, wrong } from '../check.ts'

const MB = 1024 ** 2
/** A node with some sessions needs it, with its database (docs/install.md). */
const NEEDED_BYTES = 1024 * MB
const LITTLE_BYTES = 256 * MB
const ALMOST_NONE_BYTES = 64 * MB

/** A container's limit counts, where there is one. */
const check: Check = {
  name: 'memory',
  title: 'Memory',
  async run() {
    const limit = process.constrainedMemory()
    const isLimited = limit > 0 && limit < totalmem()
    const total = isLimited ? limit : totalmem()
    const free = isLimited ? process.availableMemory() : freemem()
    const values = {
      total: sizeText(total),
      free: sizeText(free),
      own: sizeText(process.memoryUsage.rss()),
    }
    const words: Words = (say) => say('{{free}} of {{total}} are free.', values)
    const mend: Words = (say) =>
      say(
        'Give the machine or the container more memory, or end other programs: the system ends Sallyport or its database when there is none left.',
      )
    if (free < ALMOST_NONE_BYTES) return wrong(words, mend)
    if (free < LITTLE_BYTES || total < NEEDED_BYTES) return warning(words, mend)
    return ok(words)
  },
}
export default check
