export async function detectDialect(_c: readonly string[], _o: object): Promise<{dialect: string; why: string}[]> { return []; }
