import { at, type ClusterObject, listAt, pairsAt, textAt } from './read-object.ts'

export interface Container {
  name: string
  image: string
  /** In the cluster's word. */
  state: string
  isReady: boolean
  restarts: number
  /** It runs as long as its pod does, so that somebody can go into it. */
  isLasting: boolean
}

/** The containers of a pod, those that prepare it first. */
export function containersOf(pod: ClusterObject): readonly Container[] {
  const known = new Map(
    ['status.initContainerStatuses', 'status.containerStatuses']
      .flatMap((path) => listAt(pod, path))
      .map((one) => [textAt(one, 'name'), one]),
  )
  const read =
    (isFirst: boolean) =>
    (one: unknown): Container => {
      const status = known.get(textAt(one, 'name'))
      const [state = ''] = pairsAt(status, 'state').map(([word]) => word)
      const reason = textAt(status, `state.${state}.reason`)
      return {
        name: textAt(one, 'name'),
        image: textAt(one, 'image'),
        state: reason || state.slice(0, 1).toUpperCase() + state.slice(1),
        isReady: at(status, 'ready') === true,
        restarts: Number(textAt(status, 'restartCount')) || 0,
        isLasting: !isFirst || textAt(one, 'restartPolicy') === 'Always',
      }
    }
  return [...listAt(pod, 'spec.initContainers').map(read(true)), ...listAt(pod, 'spec.containers').map(read(false))]
}
