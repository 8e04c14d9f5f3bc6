/** A file beside the report: `import-jumpserver.txt` and `import-jumpserver-rights.txt`. */
export const fileBeside = (report: string, end: string): string => report.replace(/(\.[^./\\]*)?$/, `-${end}$1`)
