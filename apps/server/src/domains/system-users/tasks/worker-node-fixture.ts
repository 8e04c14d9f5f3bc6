/** A node of its own that does jobs, as a process that tests can kill: `node worker-node-fixture.ts <connection as JSON>`. */
import { openAssetsFixture } from '../../assets/assets-fixture.ts'

const { kernel } = await openAssetsFixture({ given: { connection: JSON.parse(process.argv[2] ?? '{}') } })
await kernel.jobs.start()
console.info('ready')
