import type { TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'

/** Steps in their order, as `0. name ::: module`. */
export function StepList({ steps }: { steps: unknown }) {
  const known = (steps ?? []) as readonly TaskStep[]
  if (!known.length) return null
  return (
    <pre className="run-steps">
      {known.map(({ name, action }, at) => `${at}. ${name} ::: ${action.module}`).join('\n')}
    </pre>
  )
}
