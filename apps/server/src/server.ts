import type pg from 'pg'
import { adminProgram } from './admin-program.ts'
import { doctorChecks } from './doctor-checks.ts'
import { mountDomainResources } from './domain-resources.ts'
import { databaseLogins, registerAccounts } from './domains/accounts/index.ts'
import { registerAcls } from './domains/acls/index.ts'
import { registerApplications } from './domains/applications/index.ts'
import { registerAsCode } from './domains/as-code/index.ts'
import { registerAssets } from './domains/assets/index.ts'
import { registerAudits, registerForwarding } from './domains/audits/index.ts'
import { createAccessProvider, registerAuthentication } from './domains/authentication/index.ts'
import { registerBackups } from './domains/backups/index.ts'
import { registerCloud } from './domains/cloud/index.ts'
import { commandFilterLinks, registerCommandFilters } from './domains/command-filters/index.ts'
import { registerDashboard } from './domains/dashboard/index.ts'
import { monitorMetrics, registerCapacity, registerDoctor, registerMonitor } from './domains/monitor/index.ts'
import { registerMoving } from './domains/moving/index.ts'
import { registerNotifications } from './domains/notifications/index.ts'
import { registerOps } from './domains/ops/index.ts'
import { registerOrgs } from './domains/orgs/index.ts'
import { registerPerms } from './domains/perms/index.ts'
import { registerReviews } from './domains/reviews/index.ts'
import { registerScim } from './domains/scim/index.ts'
import { importFileLimit, registerSettings, settingsOf } from './domains/settings/index.ts'
import { registerSms } from './domains/sms/index.ts'
import { registerSystemUsers, systemUserLinks } from './domains/system-users/index.ts'
import { listOwnComponents, registerTerminal } from './domains/terminal/index.ts'
import { registerTickets } from './domains/tickets/index.ts'
import { ensureFirstAdmin, registerUsers } from './domains/users/index.ts'
import { licenseOf, registerXpack } from './domains/xpack/index.ts'
import { registerBatchCommands } from './gateway/batch/index.ts'
import { measureNode } from './gateway/capacity/measure-node.ts'
import { logInToDatabase } from './gateway/databases/log-in.ts'
import { leaveToOtherNodes } from './gateway/elsewhere.ts'
import { registerCommandTrial } from './gateway/guard/try-command.ts'
import { startGateway } from './gateway/index.ts'
import { readingsOf } from './gateway/protocols/statement-readings.ts'
import { installAccessGuard } from './kernel/access/guard.ts'
import { limitRequests } from './kernel/access/request-limits.ts'
import { inBackground } from './kernel/background.ts'
import type { Config } from './kernel/config.ts'
import { databaseAddress, openDatabase } from './kernel/database/database.ts'
import { migrate } from './kernel/database/migrate.ts'
import { openEvents } from './kernel/events/events.ts'
import { registerApiDocument } from './kernel/http/api-document/index.ts'
import { endStalledBodies } from './kernel/http/body-progress.ts'
import { registerClock } from './kernel/http/clock.ts'
import { limitConnections } from './kernel/http/connection-limits.ts'
import { registerConsoleFiles } from './kernel/http/console-files.ts'
import { createApp } from './kernel/http/create-app.ts'
import { describeRoutes } from './kernel/http/describe-routes.ts'
import { registerHealth } from './kernel/http/health.ts'
import { registerMetrics } from './kernel/http/metrics.ts'
import { answerForRoles } from './kernel/http/node-roles.ts'
import { registerOldAddresses } from './kernel/http/old-addresses.ts'
import { createJobs } from './kernel/jobs/jobs.ts'
import type { Kernel } from './kernel/kernel.ts'
import { createNodeLink } from './kernel/nodes/node-link.ts'
import { openNodes } from './kernel/nodes/nodes.ts'
import { TargetAddresses } from './kernel/outbound/target-addresses.ts'
import { registerDeletion } from './kernel/resource/deletion.ts'
import { registerImportWork } from './kernel/resource/import-job/work.ts'
import { registerSelection } from './kernel/resource/selection.ts'
import { registerRowCounts } from './kernel/row-counts.ts'
import { checkKeys, registerKeys } from './kernel/secrets/installation-key.ts'
import { holdKeys } from './kernel/secrets/key-holder.ts'
import { readKeys } from './kernel/secrets/key-source.ts'
import { createVault } from './kernel/secrets/vault.ts'
import { answerValidators } from './kernel/tls/acme/challenges.ts'
import { useAcme } from './kernel/tls/acme/renewal.ts'
import { openCertificates } from './kernel/tls/certificates.ts'
import { createWebPort } from './kernel/tls/web-port.ts'
import { startSettings } from './start-settings.ts'

export interface ServerOptions {
  config: Config
  database: pg.PoolConfig
  /** Fills the installation with a believable company. */
  demo: boolean
}

export interface Server {
  kernel: Kernel
  url: string
  /** Port of the SSH entry, on a node that carries sessions. */
  sshPort: number | undefined
  /** The first administrator's one-time password, on the very first start only. */
  firstPassword: string | undefined
  /** Tells load balancers to send nobody here any more; everything is still answered. */
  leave(): void
  close(): Promise<void>
}

/** Opens every part in order and listens last, so that nobody meets a half-open server. */
export async function openServer({ config, database, demo }: ServerOptions): Promise<Server> {
  const { db, pool, close: closeDatabase } = openDatabase(database)
  const closing: (() => Promise<unknown>)[] = [closeDatabase]
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const keys = await readKeys(config)
    // Before the migrations: with a wrong key nothing is written at all.
    await checkKeys(pool, keys)
    await migrate(pool)
    const app = await createApp({
      logLevel: config.logLevel,
      trustedProxies: config.trustedProxies,
      uploadLimit: () => importFileLimit(settingsOf(kernel)) * 1024 * 1024,
      language: config.language,
    })
    const certificates = await openCertificates(config, app.log)
    closing.push(async () => certificates.close())
    const validators = config.acmeDomains.length ? answerValidators(db, app.log) : undefined
    const web = createWebPort(app, config, certificates, validators)
    const nodes = await openNodes(db, config, app.log)
    closing.push(() => nodes.close())
    answerForRoles(app, config.roles)
    const link = createNodeLink(app, nodes, config)
    closing.push(() => link.close())
    const events = await openEvents(pool, database, app.log)
    closing.push(() => events.close())
    const jobs = createJobs({ db, pool }, events, app.log, { worker: config.roles.includes('worker') })
    const ring = await registerKeys(pool, keys)
    closing.push(await holdKeys({ pool, events, log: app.log, config, ring }))
    const kernel: Kernel = {
      config,
      app,
      db,
      pool,
      events,
      jobs,
      secrets: createVault(ring),
      routes: [],
      nodes,
      link,
      targetAddresses: new TargetAddresses(config.closedTargets),
      certificates,
      // Filled in by the domains audits, orgs and authentication.
      audit: { record: async () => {} },
      orgNames: async () => new Map(),
      callerNow: async (call) => call,
      signIns: { behind: () => undefined, lapsed: async () => [] },
    }
    const address = databaseAddress(database)
    if (address) await kernel.targetAddresses.keepIfHere(address.host, address.port)
    const leave = await registerEverything(kernel, database)
    const askForCertificate = await useAcme(kernel)
    const gateway = config.roles.includes('gateway') ? await startGateway(kernel) : leaveToOtherNodes(kernel)
    registerCommandTrial(kernel, readingsOf)
    registerBatchCommands(kernel)
    databaseLogins.provide(logInToDatabase)
    describeRoutes(kernel)
    registerApiDocument(kernel)
    const firstPassword = await ensureFirstAdmin(kernel)
    const stopListing = await listOwnComponents(kernel)
    closing.push(async () => stopListing())
    await jobs.start()
    const company = demo ? await (await import('./demo/index.ts')).openDemo(kernel, gateway?.sessions) : undefined
    closing.push(() => jobs.close())
    closing.push(async () => {
      link.leave()
      await gateway?.close()
      await company?.close()
      await web.close()
      await app.close()
    })
    kernel.targetAddresses.keep(await link.listen())
    const url = await web.listen()
    for (const port of web.ports()) kernel.targetAddresses.keep(port)
    inBackground(askForCertificate())
    inBackground(company?.begin())
    return { kernel, url, sshPort: gateway?.sshPort, firstPassword, leave, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** The access guard first: no route may slip past it. Answers how to leave the load balancer. */
async function registerEverything(kernel: Kernel, database: pg.PoolConfig): Promise<() => void> {
  const rootOrgName = () => settingsOf(kernel).get('GLOBAL_ORG_DISPLAY_NAME') || 'GLOBAL'
  const sessionSeconds = () => settingsOf(kernel).get('SESSION_COOKIE_AGE')
  endStalledBodies(kernel.app, kernel.config.httpStallSeconds)
  limitConnections(kernel.app, kernel.config)
  limitRequests(kernel.app, kernel.config)
  kernel.routes = installAccessGuard(kernel.app, {
    ...createAccessProvider(kernel, { rootOrgName, sessionSeconds }),
    isLicensed: () => licenseOf(kernel).isValid(),
  })
  const leave = registerHealth(kernel)
  registerClock(kernel)
  registerMetrics(kernel, () => monitorMetrics(kernel))
  registerSelection(kernel)
  registerDeletion(kernel)
  registerImportWork(kernel)
  registerRowCounts(kernel)
  await registerSettings(kernel)
  await registerXpack(kernel)
  systemUserLinks.provide(commandFilterLinks)
  await mountDomainResources(kernel)
  registerNotifications(kernel)
  registerSms(kernel)
  registerAudits(kernel)
  await registerForwarding(kernel)
  registerOrgs(kernel, rootOrgName)
  registerUsers(kernel)
  registerTickets(kernel)
  registerAcls(kernel)
  registerAuthentication(kernel)
  registerScim(kernel)
  await registerAssets(kernel)
  registerSystemUsers(kernel)
  registerCommandFilters(kernel)
  registerApplications(kernel)
  registerAccounts(kernel)
  registerCloud(kernel)
  registerPerms(kernel)
  await registerTerminal(kernel)
  registerReviews(kernel)
  registerOps(kernel)
  registerBackups(kernel)
  registerDashboard(kernel)
  registerAsCode(kernel)
  registerMonitor(kernel)
  registerCapacity(kernel, measureNode)
  registerMoving(kernel, { database, program: adminProgram() })
  registerDoctor(kernel, doctorChecks, startSettings(kernel.config))
  registerOldAddresses(kernel.app)
  await registerConsoleFiles(kernel.app)
  return leave
}
