-- Violations of limits that only an evaluation knows. These columns are added to the tables of schema.sql when a study
-- gets its first violation, whichever version of zilch made it. Where they are missing, all violations are 0.
ALTER TABLE evaluations ADD COLUMN violation REAL NOT NULL DEFAULT 0; -- 0: the point kept all limits
ALTER TABLE generations ADD COLUMN best_violation REAL NOT NULL DEFAULT 0;
ALTER TABLE conclusions ADD COLUMN violation REAL NOT NULL DEFAULT 0; -- mean of the recommended point
ALTER TABLE told ADD COLUMN violation REAL NOT NULL DEFAULT 0;
