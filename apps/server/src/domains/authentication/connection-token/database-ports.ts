import type { ApplicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import type { Config } from '../../../kernel/config.ts'

/** Where plain clients of a database or a cluster connect to, by the type of the application. */
const PORTS = {
  postgresql: 'postgresqlPort',
  mysql: 'mysqlPort',
  mariadb: 'mysqlPort',
  redis: 'redisPort',
  k8s: 'kubernetesPort',
} as const satisfies Partial<Record<ApplicationType, keyof Config>>

/**
 * The ports that this node has for plain clients of applications, by type; a type whose port is off
 * is left out. Every page gets them: everybody who can reach a port sees it anyway.
 */
export function databasePorts(config: Config): Partial<Record<ApplicationType, number>> {
  const ports = Object.entries(PORTS).map(([type, field]) => [type, config[field]] as const)
  return Object.fromEntries(ports.filter(([, port]) => port))
}
