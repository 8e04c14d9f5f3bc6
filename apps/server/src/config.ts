import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { SETTINGS } from './config-settings.ts'
import { readEnvironmentSettings, SETTING_PREFIX } from './environment-settings.ts'
import type { Config } from './kernel/config.ts'
import { isSecretName } from './kernel/doctor/mask.ts'
import { withoutServiceLinks } from './service-links.ts'

/** Their empty default is the empty list. */
const LISTS: ReadonlySet<keyof Config> = new Set(['trustedProxies', 'closedTargets', 'acmeDomains'])

/**
 * Names the file that settings are read from; a setting itself, but not one that a file could hold.
 */
const CONFIG_FILE_VARIABLE = 'SALLYPORT_CONFIG_FILE'
const CONFIG_FILE = 'sallyport.json'

/**
 * Settings from the environment, else from the settings file, else their defaults. An empty
 * variable counts as unset.
 * @param file content of the settings file: names as in the environment, values as text, numbers or lists
 * @param directory where relative paths start
 * @throws ConfigError naming every setting that is unknown or not of its shape, and what it should be
 */
export function loadConfig(
  variables: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>> = {},
  directory: string = process.cwd(),
): Config {
  const environment = withoutServiceLinks(variables)
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...file, ...withoutEmpty(environment) })) {
    if (name.startsWith(SETTING_PREFIX)) given[name] = value
    else if (!SETTINGS[name] && (name in file || isOfServer(name))) problems.push(unknown(name))
  }
  const settings = readEnvironmentSettings(given, problems)

  const values: Partial<Record<keyof Config, unknown>> = {}
  for (const [name, { field, shape, standard, read }] of Object.entries(SETTINGS)) {
    const written = environment[name] || asText(file[name]) || standard
    const value = written || LISTS.has(field) ? read(written) : undefined
    if (written && value === undefined) problems.push(`${name} must be ${shape}`)
    values[field] = value
  }
  if (values.recordings && !(values.recordingsAccessKey && values.recordingsSecretKey))
    problems.push('SALLYPORT_RECORDINGS needs SALLYPORT_RECORDINGS_ACCESS_KEY and SALLYPORT_RECORDINGS_SECRET_KEY')
  if (!values.databaseCertificate !== !values.databaseKey)
    problems.push('SALLYPORT_DATABASE_CERTIFICATE and SALLYPORT_DATABASE_KEY need each other')
  if (!values.tlsCertificate !== !values.tlsKey)
    problems.push('SALLYPORT_TLS_CERTIFICATE and SALLYPORT_TLS_KEY need each other')
  if (values.httpPort && values.httpsPort === values.httpPort) values.httpsPort = undefined
  if (problems.length) throw new ConfigError(problems)
  const site = siteOf(values)
  if (site) settings.SITE_URL ??= site
  return {
    ...(values as unknown as Config),
    dataDirectory: resolve(directory, values.dataDirectory as string),
    settings,
    given: withoutSecrets({ ...file, ...withoutEmpty(environment) }),
  }
}

/** Other names of ours are those of the command line, for people who have both on one computer. */
const isOfServer = (name: string) =>
  name.startsWith('SALLYPORT_') && name !== CONFIG_FILE_VARIABLE && !name.startsWith('SALLYPORT_CLI_')

/** Names of settings whose values nobody else may see: keys, and addresses that may hold a password. */
const isHidden = (name: string) => isSecretName(name) || /_URL$|^SALLYPORT_SETTING_/.test(name)

function withoutSecrets(given: Readonly<Record<string, unknown>>): Config['given'] {
  const own = Object.entries(given).filter(([name]) => name in SETTINGS || name.startsWith('SALLYPORT_'))
  return Object.fromEntries(own.map(([name, value]) => [name, isHidden(name) ? null : asText(value)]))
}

/** Where people open the console, if that follows from the names that a certificate is asked for. */
function siteOf({ acmeDomains, httpPort, httpsPort }: Partial<Record<keyof Config, unknown>>): string | undefined {
  const [domain] = acmeDomains as string[]
  const port = httpsPort ?? (httpPort === 80 ? 443 : httpPort)
  return domain && port === 443 ? `https://${domain}` : undefined
}

/** An empty variable counts as unset, but an unknown name is reported all the same. */
function withoutEmpty(environment: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value || !name.startsWith(SETTING_PREFIX)),
  )
}

function unknown(name: string): string {
  return `${name} is not a setting. The settings are ${Object.keys(SETTINGS).join(', ')}`
}

function asText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : value === undefined || value === null ? '' : String(value)
}

/**
 * Content of the settings file: the one that SALLYPORT_CONFIG_FILE names, else `sallyport.json`
 * where it exists.
 * @throws ConfigError when it cannot be read or is not a JSON object
 */
export function readConfigFile(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string = process.cwd(),
): Record<string, unknown> {
  const named = environment[CONFIG_FILE_VARIABLE]
  const path = resolve(directory, named || CONFIG_FILE)
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    if (!named && (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError([`The settings file ${path} cannot be read: ${(error as Error).message}`])
  }
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below, together with what is JSON but no object.
  }
  throw new ConfigError([`The settings file ${path} must be a JSON object such as {"SALLYPORT_HTTP_PORT": 8080}`])
}
