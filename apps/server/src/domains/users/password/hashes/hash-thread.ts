/** The thread behind in-thread.ts: compares passwords with hashes of others, one at a time. */
import { serveTasks } from '../../../../kernel/threads.ts'
import { hasHash } from './compare.ts'
import type { HashTask } from './in-thread.ts'

serveTasks<HashTask>(async ({ password, way }) => hasHash(password, way))
