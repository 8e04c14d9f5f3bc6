import type { Kernel } from '../../../kernel/kernel.ts'
import { addPreviewPart } from '../../../kernel/resource/preview/parts.ts'
import { rightsAfter, rightsBefore, rightsFirst } from './rights.ts'
import { rolesAfter, rolesBefore } from './roles.ts'

/** Says in previews who gains and loses which rights and roles. */
export function addRightsToPreviews(kernel: Kernel): void {
  addPreviewPart(kernel, { first: rightsFirst, before: rightsBefore, after: rightsAfter })
  addPreviewPart(kernel, { before: rolesBefore, after: rolesAfter })
}
