/**
 * One installation for all families: vitest starts it before the first file and stops it after the
 * last.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../apps/server/test/free-port.ts'
import { licenseSettings } from '../../apps/server/test/license.ts'
import { startInstallation } from '../installation.ts'

/** Where the families attack, and what only its owner knows. */
export interface Place {
  url: string
  sshPort: number
  adminPassword: string
  bootstrapToken: string
  /** Everything that the server writes to its log, down to the smallest detail. */
  log: string
  /** The data directory. */
  data: string
  /** Where the server looks for Slack: a family may listen there. */
  slackPort: number
}

declare module 'vitest' {
  export interface ProvidedContext {
    place: Place
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const adminPassword = 'Keeper-of-the-door-1'
  const bootstrapToken = 'bootstrap-token-of-the-security-tests'
  const slackPort = await freePort()
  const installation = await startInstallation({
    settings: {
      SALLYPORT_ADMIN_PASSWORD: adminPassword,
      SALLYPORT_BOOTSTRAP_TOKEN: bootstrapToken,
      SALLYPORT_LOG_LEVEL: 'trace',
      // So that each family comes from an address of its own, and none is locked out by what
      // another tried.
      SALLYPORT_TRUSTED_PROXIES: '127.0.0.1',
      // Nobody listens there: the messengers are not called from tests.
      SALLYPORT_SETTING_WECOM_API_URL: 'http://127.0.0.1:1',
      SALLYPORT_SETTING_DINGTALK_API_URL: 'http://127.0.0.1:1',
      SALLYPORT_SETTING_FEISHU_API_URL: 'http://127.0.0.1:1',
      SALLYPORT_SETTING_SLACK_API_URL: `http://127.0.0.1:${slackPort}/api/`,
      ...licenseSettings(30),
    },
  })
  const log = join(installation.data, 'written.log')
  const file = createWriteStream(log)
  installation.process.stdout?.pipe(file)
  installation.process.stderr?.pipe(file)
  const { url, sshPort, data } = installation
  project.provide('place', { url, sshPort, adminPassword, bootstrapToken, log, data, slackPort })
  return () => installation.stop()
}
