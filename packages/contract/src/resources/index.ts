/** The only registry of resources: what is not listed here does not exist for either side. */
import type { ResourceDefinition } from '../define.ts'
import { label } from './assets/label.ts'

export const resources: readonly ResourceDefinition[] = [label]
