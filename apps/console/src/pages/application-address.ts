import type { ApplicationCategory } from '@sallyport/contract/resources/applications/application-types.ts'
import { addressOf } from '../navigation/routes.ts'

/** Names of the pages of applications, by category. */
export const APPLICATION_PAGES = {
  db: 'DatabaseApp',
  remote_app: 'RemoteApp',
  cloud: 'KubernetesApp',
} as const satisfies Record<ApplicationCategory, string>

/** The page of an application; undefined for people without that page. */
export function applicationAddress(category: string, id: string): string | undefined {
  const base = APPLICATION_PAGES[category as ApplicationCategory]
  return base && addressOf(`${base}Detail`, { id })
}
