import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { InProgress } from './waiting-progress.ts'

type Load<P> = () => Promise<ComponentType<P>>

/** `C` where the component brings more than being drawn. */
export interface Loadable<P, C = ComponentType<P>> {
  component: ComponentType<P>
  /** Fetches the code before it is shown. @throws when that fails; a later call tries again */
  preload: () => Promise<C>
}

/** A part that can be drawn at any time, and fetched before. */
export type LazyPart<P> = ((props: P) => ReactNode) & Pick<Loadable<P>, 'preload'>

/**
 * A component whose code is fetched when it is first needed. Once the code is there, it is drawn
 * at once: React's `lazy` alone would show the fallback first, and then wait for 300 ms.
 */
export function loadable<P extends object, C extends ComponentType<P> = ComponentType<P>>(
  load: () => Promise<C & ComponentType<P>>,
): Loadable<P, C> {
  let loaded: C | undefined
  let loading: Promise<C> | undefined
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
  const Later = lazy(async () => {
    const part: ComponentType<P> = await fetchCode()
    return { default: part as ComponentType<object> }
  })
  const component = (props: P) => {
    // Chosen once: another component in its place would lose the state of this one.
    const [Part] = useState(() => (loaded ?? Later) as unknown as ComponentType<object>)
    return <Part {...props} />
  }
  return { component, preload: fetchCode }
}

/**
 * A component whose code comes when it is first drawn, so that pages which merely mention it stay
 * light. `meanwhile` keeps its place.
 */
export function lazily<P extends object>(load: Load<P>, meanwhile: ReactNode = null): LazyPart<P> {
  const { component: Part, preload } = loadable(load)
  const part = (props: P) => (
    <Suspense
      fallback={
        <>
          {meanwhile}
          <InProgress />
        </>
      }
    >
      <Part {...props} />
    </Suspense>
  )
  return Object.assign(part, { preload })
}
