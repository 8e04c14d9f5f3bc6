/**
 * `findBy…` and `waitFor` end as soon as they can; on a busy machine that may take longer than the
 * library's second.
 */
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 60_000 })
