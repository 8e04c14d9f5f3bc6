import type pg from 'pg'
import type { Config } from './config.ts'
import { installAccessGuard } from './kernel/access/guard.ts'
import { openDatabase } from './kernel/database/database.ts'
import { migrate } from './kernel/database/migrate.ts'
import { openEvents } from './kernel/events/events.ts'
import { registerApiDocument } from './kernel/http/api-document.ts'
import { registerConsoleFiles } from './kernel/http/console-files.ts'
import { createApp } from './kernel/http/create-app.ts'
import { registerHealth } from './kernel/http/health.ts'
import { registerMetrics } from './kernel/http/metrics.ts'
import { createJobs } from './kernel/jobs/jobs.ts'
import type { Kernel } from './kernel/kernel.ts'
import { ResourceRegistry } from './kernel/resource/registry.ts'
import { registerSelection } from './kernel/resource/selection.ts'
import { createSecrets, loadSecretKey } from './kernel/secrets/secrets.ts'
import { domains } from './domains/index.ts'

export interface ServerOptions {
  config: Config
  database: pg.PoolConfig
  /** Fills the installation with a believable company. */
  demo: boolean
}

export interface Server {
  kernel: Kernel
  url: string
  /** The first administrator's one-time password, on the very first start only. */
  firstPassword: string | undefined
  close(): Promise<void>
}

/** Opens every part in order, and listens last: whoever gets an answer gets it from a whole server. */
export async function openServer({ config, database, demo }: ServerOptions): Promise<Server> {
  const { db, pool, close: closeDatabase } = openDatabase(database)
  const closing: (() => Promise<unknown>)[] = [closeDatabase]
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    await migrate(pool)
    const app = await createApp({ logLevel: config.logLevel, trustedProxies: config.trustedProxies })
    const events = await openEvents(pool, database, app.log)
    closing.push(() => events.close())
    const jobs = createJobs(pool, app.log, { worker: config.roles.includes('worker') })
    const kernel: Kernel = {
      config, app, db, pool, events, jobs,
      secrets: createSecrets(await loadSecretKey(config.dataDirectory, config.secretKey)),
      resources: new ResourceRegistry(),
      routes: [],
      // Filled in by the domains audits and orgs when they are registered.
      audit: { record: async () => {} },
      orgNames: async () => new Map(),
    }
    kernel.routes = installAccessGuard(app, domains.accessProvider(kernel))
    registerHealth(kernel)
    registerMetrics(kernel)
    registerSelection(kernel)
    await domains.register(kernel)
    await registerConsoleFiles(app)
    registerApiDocument(kernel)
    const firstPassword = await domains.prepare(kernel, { demo })
    await jobs.start()
    closing.push(() => jobs.close())
    const gateway = await domains.openGateway(kernel)
    closing.push(async () => {
      await gateway.close()
      await app.close()
    })
    const url = await app.listen({ host: config.host, port: config.httpPort })
    return { kernel, url, firstPassword, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}
