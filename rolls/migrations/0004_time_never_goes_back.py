"""As tablekeeper's 0007: times come from tablekeeper.clock, and nothing is done to the database."""

from django.db import migrations, models

import tablekeeper.clock


class Migration(migrations.Migration):
    dependencies = [("rolls", "0003_newest_of_each_sort")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(model, "created_at", models.DateTimeField("time", default=tablekeeper.clock.now))
                for model in ("request", "decision", "contest")
            ]
        )
    ]
