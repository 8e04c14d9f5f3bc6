import { msg, t } from '../../lib/i18n.ts'
import type { TreeItem } from '../assets/asset-tree.ts'
import { clusterViews, placeInCluster } from '../assets/cluster-tree.ts'
import type { Connection, ContainerPlace } from './connection.ts'

/** The view of a database or cluster beside its prompt. */
const VIEWS: Readonly<Record<string, string>> = { k8s: msg('Resources'), redis: msg('Keys') }

const containerName = ({ pod, container }: ContainerPlace) => `${pod}/${container}`

/** Tells its tab from others on the same target. For a container, its name; the cluster's name is in the watermark. */
export function tabName({ targetName, place, view, protocol }: Connection): string {
  if (place) return containerName(place)
  return view ? `${targetName} · ${t(VIEWS[protocol] ?? 'Workbench')}` : targetName
}

/** Which one comes first: a strip has room for the beginning. */
export const logName = (place: ContainerPlace): string => `${containerName(place)} · ${t('Log@@cluster')}`

/** For a cluster's shell that begins with a line which looks at something: its object, and how. */
export function viewName(item: TreeItem, line: string): string {
  const place = placeInCluster(item)
  if (place.container) return logName(place)
  const title = clusterViews(item).find((view) => view.line === line)?.title ?? ''
  return `${place.pod || place.namespace} · ${t(title)}`
}
