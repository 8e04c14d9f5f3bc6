/**
 * The heap is collected when it has grown by a quarter. By default it may double first, which is most of the
 * memory of an import of hundreds of thousands of rows.
 */
export const COLLECT_EARLY = '--heap-growing-percent=25'
