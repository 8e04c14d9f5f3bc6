import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

/**
 * A component whose code comes when it is first drawn, so that pages which merely mention it stay
 * light. `meanwhile` keeps its place.
 */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): (props: P) => ReactNode {
  const Loaded = lazy(async () => ({ default: (await load()) as ComponentType<object> }))
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Loaded {...props} />
    </Suspense>
  )
}
