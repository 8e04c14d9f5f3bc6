import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'

export interface Loadable<P> {
  component: ComponentType<P>
  /** Fetches the code before it is shown. @throws when that fails; a later call tries again */
  preload: () => Promise<unknown>
}

/**
 * A component whose code is fetched when it is first needed. Once the code is there, it is drawn
 * at once: React's `lazy` alone would show the fallback first, and then wait for 300 ms.
 */
export function loadable<P extends object>(load: () => Promise<ComponentType<P>>): Loadable<P> {
  let loaded: ComponentType<P> | undefined
  let loading: Promise<ComponentType<P>> | undefined
  const fetchCode = () => {
    loading ??= load().then(
      (component) => (loaded = component),
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  const Later = lazy(async () => ({ default: (await fetchCode()) as ComponentType<object> }))
  const component = (props: P) => {
    // Chosen once: another component in its place would lose the state of this one.
    const [Part] = useState(() => (loaded ?? Later) as ComponentType<object>)
    return <Part {...props} />
  }
  return { component, preload: fetchCode }
}

/**
 * A component whose code comes when it is first drawn, so that pages which merely mention it stay
 * light. `meanwhile` keeps its place.
 */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): (props: P) => ReactNode {
  const { component: Part } = loadable(load)
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Part {...props} />
    </Suspense>
  )
}
