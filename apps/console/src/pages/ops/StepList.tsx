import type { TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'
import styles from './task-run.module.css'

/** Steps in their order, as `0. name ::: module`. */
export function StepList({ steps }: { steps: unknown }) {
  const known = (steps ?? []) as readonly TaskStep[]
  if (!known.length) return null
  return (
    <pre className={styles.runSteps}>
      {known.map(({ name, action }, at) => `${at}. ${name} ::: ${action.module}`).join('\n')}
    </pre>
  )
}
