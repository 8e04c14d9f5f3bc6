import { msg, t } from '../../lib/i18n.ts'
import type { Connection, ContainerPlace } from './connection.ts'

/** What a page shows of a database or cluster beside its prompt. */
const VIEWS: Readonly<Record<string, string>> = { k8s: msg('Resources'), redis: msg('Keys') }

const containerName = ({ pod, container }: ContainerPlace) => `${pod}/${container}`

/** By which its tab is told from others on the same target. Of a container, which one; the cluster's name is in the watermark. */
export function tabName({ targetName, place, view, protocol }: Connection): string {
  if (place) return containerName(place)
  return view ? `${targetName} · ${t(VIEWS[protocol] ?? 'Workbench')}` : targetName
}

export const logName = (place: ContainerPlace): string => t('Log of {{name}}', { name: containerName(place) })
